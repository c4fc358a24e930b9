"""Modules by name."""
import _locus


def import_module(name, package=None):
    return _locus.import_module(name)


def reload(module):
    return module
