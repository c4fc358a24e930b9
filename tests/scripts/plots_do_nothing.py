"""Plotting lines of lessons stand for nothing: said once on standard error."""
# error: note: plots are not drawn
import matplotlib
import matplotlib.pyplot as plt
from IPython import display
from matplotlib import cm
from matplotlib_inline import backend_inline

backend_inline.set_matplotlib_formats('svg')
plt.rcParams['figure.figsize'] = (3, 2)
fig, axes = plt.subplots(2, 3)
fig, (left, right) = plt.subplots(1, 2, figsize=(4, 3))
for k, ax in enumerate(axes.flat):
    ax.plot([1, 2], label='x').anything
    ax.title.size = 5
matplotlib.use('Agg')
with plt.style.context('dark'):
    print('inside')                     # expect: inside
try:
    with plt.ion():
        1 / 0
except ZeroDivisionError:
    print('not swallowed')              # expect: not swallowed
plt.plot([1], [2])
plt.show()
display.clear_output(wait=True)
print(type(cm.viridis) is type(left), len(axes))    # expect: True 1
