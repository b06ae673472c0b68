"""The language server of slowwave: memory where people edit."""
