"""An example of a workflow: mend a failing unit test, checked by really running it."""
