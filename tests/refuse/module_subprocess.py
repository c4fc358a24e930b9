# fails: ModuleNotFoundError
# error: No module named 'subprocess'
# error: hint: other programs cannot be run
import subprocess
