/** The tables of the content store. */

/**
 * `purged`: digests of contents that a person removed for good; the store refuses them. `purge`: a row for each purge.
 */
export const PURGES = `
  CREATE TABLE IF NOT EXISTS purged (digest BLOB PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS purge (number INTEGER PRIMARY KEY);
`

/**
 * `content`: a file's bytes, compressed by raw deflate unless that is longer (`size` is then the length of `body`).
 * `tree`: the entries of one directory. `stat`: the file's state at its last reading, so that an unchanged file is not
 * read again; `checked` is the time of that reading in epoch milliseconds.
 */
export const TABLES = `
  CREATE TABLE IF NOT EXISTS content (digest BLOB PRIMARY KEY, size INTEGER NOT NULL, body BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tree (digest BLOB PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS root (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS stat (
    root INTEGER NOT NULL,
    path TEXT NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (root, path)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS secret (key BLOB NOT NULL);
  ${PURGES}
`

/** Version of the tables, in the file's header. */
export const VERSION = 1

/** Tells the file from logs and other programs' files ("HCws"). */
export const APPLICATION_ID = 0x48437773
