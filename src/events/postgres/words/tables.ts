/**
 * The tables of the index of words. The log needs none of them. Searches fill an empty `words` again, whatever
 * `words_reach` says; of a table that lacks some rows, they do not notice it.
 */

/** The statements that create an empty index. `schema` is a checked name. */
export const wordTablesOf = (schema: string): ReadonlyArray<string> => [
  // Without words: an event with personal fields. `whole` is false if its words, without their places, are in several parts.
  `CREATE TABLE ${schema}.words (
    position bigint NOT NULL, part integer NOT NULL, task_id text COLLATE "C", kinds text[] NOT NULL, whole boolean NOT NULL, words tsvector,
    PRIMARY KEY (position, part))`,
  `CREATE INDEX words_words ON ${schema}.words USING gin (words)`,
  `CREATE INDEX words_personal ON ${schema}.words (position) WHERE words IS NULL`,
  `CREATE TABLE ${schema}.words_reach (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL, position bigint NOT NULL, hash text NOT NULL)`,
  `INSERT INTO ${schema}.words_reach (version, position, hash) VALUES (0, 0, '')`,
]
