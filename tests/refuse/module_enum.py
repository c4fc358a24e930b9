# fails: ModuleNotFoundError
# error: No module named 'enum'
# error: hint: a class with attributes can stand for it
import enum
