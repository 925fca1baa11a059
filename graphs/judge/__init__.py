"""The judge: which of these rules holds?"""
