# %% [markdown]
# # Saving memory: what moves, what stays, what is copied
#
# A name is bound to an object, an object looks at a block of bytes. Most advice on saving memory mixes the two up.
# Every cell below is ordinary PyTorch. Under Locus the line after each statement says which object a name holds, where its
# bytes lie, and what was allocated, shared, written or freed.

# %%
import torch

X = torch.ones(1024, 1024)              # 4,194,304 bytes: 1024 * 1024 numbers of 4 bytes
Y = torch.ones(1024, 1024)

# %% [markdown]
# ## 1. `Y = Y + X` makes a new tensor
#
# The sum is computed while the old `Y` is still alive, so for a moment there are three blocks: `X`, the old `Y` and the sum.
# Only then is the name bound to the sum, and the old block goes back to the cache.

# %%
before = id(Y)
Y = Y + X
print("same object?", id(Y) == before)

# %% [markdown]
# `id` is the address of the object, not of its bytes, and addresses come again: after two more rounds the object may lie
# where the first one lay. An equal `id` later proves nothing. The serial numbers of the display are never used again.

# %%
Y = Y + X
print("the same id again, though it is the third object?", id(Y) == before)

# %% [markdown]
# ## 2. The other names of the old tensor keep it
#
# With `W` bound to it, the old tensor is not freed: `W` has the old values, `Y` has new ones in another block.

# %%
W = Y
Y = Y + X
print("W is Y?", W is Y, "  W:", W[0, 0].item(), "  Y:", Y[0, 0].item())

# %%
W = Y
Y += X                                  # in place: nobody moves, and W sees it too
print("W is Y?", W is Y, "  W:", W[0, 0].item(), "  Y:", Y[0, 0].item())
del W

# %% [markdown]
# ## 3. `Z[:] = X + Y` saves nothing
#
# `Z` stays where it is, but the right side is a tensor of its own before it is copied over: as much memory as before, and the
# copy on top. Look for the line *temporary*. Given `out=Z`, the sum is written where it belongs.

# %%
Z = torch.zeros_like(Y)
kept = Z.data_ptr()
Z[:] = X + Y
print("Z stayed?", Z.data_ptr() == kept)

# %%
torch.add(X, Y, out=Z)
print("Z stayed?", Z.data_ptr() == kept)

# %%
Z.copy_(X).add_(Y)                      # two writes, no temporary
print("Z stayed?", Z.data_ptr() == kept)

# %% [markdown]
# ## 4. `X += Y` allocates nothing, when it may be done
#
# The version counts the writes. Some writes are refused, and leave everything as it was.

# %%
before = id(X)
X += Y
print("same object?", id(X) == before, "  writes so far:", X._version)

# %%
k = torch.arange(3)
try:
    k += 0.5                            # a sum of floats does not fit into whole numbers
except RuntimeError as error:
    print("refused:", type(error).__name__)
print(k, "writes:", k._version)

# %%
r = torch.zeros(3)
try:
    r += torch.ones(2, 3)               # the result would be larger than r
except RuntimeError as error:
    print("refused:", type(error).__name__)
print(r)

# %% [markdown]
# For Python's own numbers `+=` binds the name to another number.

# %%
n = 1000
m = n
n += 1
print(n, m, n is m)

# %% [markdown]
# ## 5. A view shares, if the strides allow it
#
# `view` makes a new object over the same bytes: no byte is copied, and writes are seen through both.

# %%
x = torch.arange(2 * 3 * 4 * 4, dtype=torch.float32)
z = x.view(-1, 3, 4, 4)
z[0, 0, 0, 0] = 7
print(x[0].item(), z.shape, z.stride())

# %% [markdown]
# A transposed tensor lists its elements in another order than memory does. No strides describe it as one row, so `view`
# refuses, and `reshape` copies without saying so.

# %%
T = torch.arange(12.).view(3, 4).t()
try:
    T.view(12)
except RuntimeError as error:
    print("refused:", type(error).__name__)
R = T.reshape(12)
print("copied?", R.data_ptr() != T.data_ptr())

# %%
V = T.t().reshape(12)                   # turned back it is in order again: this reshape is a view
print("copied?", V.data_ptr() != T.data_ptr())

# %% [markdown]
# Sharing is what view operations do. Arithmetic, masks, lists of indices, `cat`, `clone` and another dtype each make a new
# block.

# %%
a = torch.arange(6.)
print("slice shares:", a[2:].data_ptr() == a.data_ptr() + 2 * a.element_size())
print("mask copies:", a[a > 2].data_ptr() != a.data_ptr())
print("same dtype is the same object:", a.float() is a, "  another one is not:", a.double() is a)
