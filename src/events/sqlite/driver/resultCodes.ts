/** Names of SQLite's result codes (https://sqlite.org/rescode.html); `node:sqlite` reports numbers only. */

/**
 * The name of a code, such as `SQLITE_BUSY_SNAPSHOT`. The lowest eight bits of an extended code are the primary code.
 */
export const nameOfCode = (code: number): string => {
  const primary = PRIMARY[code & 0xff]
  if (primary === undefined) return `SQLITE_${code}`
  const detail = code >> 8
  const extended = detail === 0 ? undefined : EXTENDED[primary]?.[detail - 1]
  return `SQLITE_${primary}${extended === undefined ? "" : `_${extended}`}`
}

const PRIMARY: ReadonlyArray<string> =
  "OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB NOTICE WARNING".split(
    " ",
  )

/** Extended codes from number 1; `-` marks an unused number. */
const EXTENDED: { readonly [primary: string]: ReadonlyArray<string> } = {
  ERROR: "MISSING_COLLSEQ RETRY SNAPSHOT RESERVESIZE KEY UNABLE".split(" "),
  IOERR:
    "READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE BADKEY CODEC".split(
      " ",
    ),
  LOCKED: "SHAREDCACHE VTAB".split(" "),
  BUSY: "RECOVERY SNAPSHOT TIMEOUT".split(" "),
  CANTOPEN: "NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK".split(" "),
  CORRUPT: "VTAB SEQUENCE INDEX".split(" "),
  READONLY: "RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY".split(" "),
  ABORT: "- ROLLBACK".split(" "),
  CONSTRAINT: "CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED DATATYPE".split(
    " ",
  ),
  NOTICE: "RECOVER_WAL RECOVER_ROLLBACK RBU".split(" "),
  WARNING: "AUTOINDEX".split(" "),
  AUTH: "USER".split(" "),
}
