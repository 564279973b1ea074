"""Think-on-Graph 2: graph search and document retrieval in turns."""
