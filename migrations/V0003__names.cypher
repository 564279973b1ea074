// Display names as full text, for people who browse; no stop words, because "The Who" is a name.
CREATE FULLTEXT INDEX entity_names IF NOT EXISTS FOR (n:Entity) ON EACH [n.name]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};
