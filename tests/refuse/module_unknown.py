# fails: ModuleNotFoundError
# error: No module named 'asyncio'
import asyncio
