// The trace of a question: each of its nodes has an id; a question's use of a fact is found by the fact and its source.
CREATE CONSTRAINT question_id IF NOT EXISTS FOR (n:Question) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT exploration_id IF NOT EXISTS FOR (n:Exploration) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT path_id IF NOT EXISTS FOR (n:Path) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT answer_id IF NOT EXISTS FOR (n:Answer) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT mention_id IF NOT EXISTS FOR (n:Mention) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT document_id IF NOT EXISTS FOR (n:Document) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT kept_answer_id IF NOT EXISTS FOR (n:KeptAnswer) REQUIRE n.id IS UNIQUE;
CREATE INDEX question_created IF NOT EXISTS FOR (n:Question) ON (n.created);
CREATE INDEX used_source IF NOT EXISTS FOR ()-[r:USED]-() ON (r.source);
CREATE INDEX used_fact IF NOT EXISTS FOR ()-[r:USED]-() ON (r.fid);
