// Full text over words that were folded or stemmed before they came here, so that every store finds the same.
CREATE FULLTEXT INDEX name_words IF NOT EXISTS FOR (n:Name) ON EACH [n.words]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};
CREATE FULLTEXT INDEX passage_words IF NOT EXISTS FOR (n:Passage) ON EACH [n.words]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};
