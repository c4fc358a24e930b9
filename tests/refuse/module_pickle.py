# fails: ModuleNotFoundError
# error: No module named 'pickle'
# error: hint: torch.save and torch.load keep objects in files
import pickle
