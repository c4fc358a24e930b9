"""The rest of the module gc."""
garbage = []
DEBUG_STATS, DEBUG_COLLECTABLE, DEBUG_UNCOLLECTABLE, DEBUG_SAVEALL, DEBUG_LEAK = 1, 2, 4, 32, 38


def freeze():
    pass


def unfreeze():
    pass
