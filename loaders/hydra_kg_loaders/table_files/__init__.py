"""Files that hold several tables, or tables in other forms than text: workbooks, databases, YAML."""
