// How nodes are found: by the text of their id, and by the same-as class that they belong to.
CREATE INDEX entity_key IF NOT EXISTS FOR (n:Entity) ON (n.key);
CREATE INDEX entity_cls IF NOT EXISTS FOR (n:Entity) ON (n.cls);
