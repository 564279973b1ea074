"""What a loader fulfils and what it is given: files as feeds, its work folder, options of a load."""
