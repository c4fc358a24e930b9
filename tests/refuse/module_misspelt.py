# fails: ModuleNotFoundError
# error: No module named 'os.pth'
import os.pth
