# fails: ModuleNotFoundError
# error: No module named 'datetime'
# error: hint: time.strftime
import datetime
