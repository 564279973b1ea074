// Names and aliases as full text; no stop words, because "The Who" is a name.
CREATE FULLTEXT INDEX entity_names IF NOT EXISTS FOR (n:Entity) ON EACH [n.name, n.aliases]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};
