// What a load brings besides nodes and facts is kept per load, so that readers can pin loads and a drop can find it.
CREATE CONSTRAINT hydra_store_id IF NOT EXISTS FOR (n:HydraStore) REQUIRE n.id IS UNIQUE;
CREATE INDEX load_state IF NOT EXISTS FOR (n:Load) ON (n.state);
CREATE INDEX load_file IF NOT EXISTS FOR (n:LoadFile) ON (n.load);
CREATE INDEX class_chunk IF NOT EXISTS FOR (n:ClassChunk) ON (n.generation);
CREATE INDEX predicate_load IF NOT EXISTS FOR (n:Predicate) ON (n.load);
CREATE INDEX name_fold IF NOT EXISTS FOR (n:Name) ON (n.fold);
CREATE INDEX name_node IF NOT EXISTS FOR (n:Name) ON (n.node);
CREATE INDEX name_load IF NOT EXISTS FOR (n:Name) ON (n.load);
CREATE INDEX word_load IF NOT EXISTS FOR (n:Word) ON (n.load);
CREATE INDEX value_subject IF NOT EXISTS FOR (n:Value) ON (n.subject);
CREATE INDEX value_row IF NOT EXISTS FOR (n:Value) ON (n.load, n.row);
CREATE INDEX passage_node IF NOT EXISTS FOR (n:Passage) ON (n.node);
CREATE INDEX passage_place IF NOT EXISTS FOR (n:Passage) ON (n.load, n.n);
CREATE INDEX passage_word IF NOT EXISTS FOR (n:PassageWord) ON (n.load, n.text);
