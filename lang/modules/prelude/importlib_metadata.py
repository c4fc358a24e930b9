"""Versions of what is installed: of torch alone here."""


class PackageNotFoundError(ModuleNotFoundError):
    def __str__(self):
        return f'No package metadata was found for {self.args[0]}'


def version(distribution_name):
    if distribution_name == 'torch':
        import torch
        return torch.__version__
    raise PackageNotFoundError(distribution_name)
