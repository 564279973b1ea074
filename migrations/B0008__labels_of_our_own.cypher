// The whole schema: a database to which nothing was applied begins here. Its labels are those that only our nodes have,
// so that no constraint binds what others keep in the same database, and no query of ours finds it.

// What must never be there twice.
CREATE CONSTRAINT hydra_entity_id IF NOT EXISTS FOR (n:HydraEntity) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT hydra_mediator_id IF NOT EXISTS FOR (n:HydraMediator) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT hydra_source_name IF NOT EXISTS FOR (n:HydraSource) REQUIRE n.name IS UNIQUE;
CREATE CONSTRAINT hydra_load_id IF NOT EXISTS FOR (n:HydraLoad) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT hydra_load_chunk IF NOT EXISTS FOR (n:HydraLoadChunk) REQUIRE (n.load, n.n) IS UNIQUE;
CREATE CONSTRAINT hydra_store_id IF NOT EXISTS FOR (n:HydraStore) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT hydra_question_id IF NOT EXISTS FOR (n:HydraQuestion) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT hydra_exploration_id IF NOT EXISTS FOR (n:HydraExploration) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT hydra_path_id IF NOT EXISTS FOR (n:HydraPath) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT hydra_answer_id IF NOT EXISTS FOR (n:HydraAnswer) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT hydra_mention_id IF NOT EXISTS FOR (n:HydraMention) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT hydra_document_id IF NOT EXISTS FOR (n:HydraDocument) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT hydra_kept_answer_id IF NOT EXISTS FOR (n:HydraKeptAnswer) REQUIRE n.id IS UNIQUE;

// Nodes by the text of their id and by their same-as class; their names as full text, for people who browse: no stop
// words, because "The Who" is a name.
CREATE INDEX hydra_entity_key IF NOT EXISTS FOR (n:HydraEntity) ON (n.key);
CREATE INDEX hydra_entity_cls IF NOT EXISTS FOR (n:HydraEntity) ON (n.cls);
CREATE FULLTEXT INDEX hydra_entity_names IF NOT EXISTS FOR (n:HydraEntity) ON EACH [n.name]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}};

// What a load brings besides nodes and facts is kept per load, so that readers can pin loads and a drop can find it.
CREATE INDEX hydra_load_state IF NOT EXISTS FOR (n:HydraLoad) ON (n.state);
CREATE INDEX hydra_load_file IF NOT EXISTS FOR (n:HydraLoadFile) ON (n.load);
CREATE INDEX hydra_class_chunk IF NOT EXISTS FOR (n:HydraClassChunk) ON (n.generation);
CREATE INDEX hydra_predicate_load IF NOT EXISTS FOR (n:HydraPredicate) ON (n.load);
CREATE INDEX hydra_name_fold IF NOT EXISTS FOR (n:HydraName) ON (n.fold);
CREATE INDEX hydra_name_node IF NOT EXISTS FOR (n:HydraName) ON (n.node);
CREATE INDEX hydra_name_load IF NOT EXISTS FOR (n:HydraName) ON (n.load);
CREATE INDEX hydra_word_load IF NOT EXISTS FOR (n:HydraWord) ON (n.load);
CREATE INDEX hydra_value_subject IF NOT EXISTS FOR (n:HydraValue) ON (n.subject);
CREATE INDEX hydra_value_row IF NOT EXISTS FOR (n:HydraValue) ON (n.load, n.row);
CREATE INDEX hydra_passage_node IF NOT EXISTS FOR (n:HydraPassage) ON (n.node);
CREATE INDEX hydra_passage_place IF NOT EXISTS FOR (n:HydraPassage) ON (n.load, n.n);
CREATE INDEX hydra_passage_word IF NOT EXISTS FOR (n:HydraPassageWord) ON (n.load, n.text);

// Full text over words that were folded or stemmed before they came here, so that every store finds the same.
CREATE FULLTEXT INDEX hydra_name_words IF NOT EXISTS FOR (n:HydraName) ON EACH [n.words]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};
CREATE FULLTEXT INDEX hydra_passage_words IF NOT EXISTS FOR (n:HydraPassage) ON EACH [n.words]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};

// Kept answers by date; what a question used, by source and by fact.
CREATE INDEX hydra_question_created IF NOT EXISTS FOR (n:HydraQuestion) ON (n.created);
CREATE INDEX hydra_used_source IF NOT EXISTS FOR ()-[r:USED]-() ON (r.source);
CREATE INDEX hydra_used_fact IF NOT EXISTS FOR ()-[r:USED]-() ON (r.fid);
