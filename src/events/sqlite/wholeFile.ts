/**
 * Rare work on a log's whole file: copying, importing, measuring, examining. Each loads on demand, so that importing
 * the log does not load them.
 */

import { Effect } from "effect"
import type { InvalidOptions } from "../../values/Options.ts"
import type { Examination } from "../integrity/Doctor.ts"
import type { OpenError } from "../log/EventLog.ts"
import type { Copied, CopyError, CopyOptions } from "../maintenance/Backup.ts"
import type { ImportOptions, NotImported } from "../maintenance/Import.ts"
import type { Space } from "../maintenance/StorageUsage.ts"
import type { Head } from "../vocabulary/Event.ts"
import type { SpaceOptions } from "./archive/storageUsage.ts"
import type { StatementError } from "./file/database.ts"
import type { ExamineOptions } from "./integrity/doctor.ts"

/**
 * Copies a log by SQLite's own backup, as of one moment, while other processes may write; with segments, copies of
 * plugins and, on request, keys. The copy is verified and gets its name once complete. Only its owner can read it. A
 * killed process leaves nothing under that name; the next copy to it removes the rest.
 */
export const backup = (options: CopyOptions): Effect.Effect<Copied, CopyError> =>
  Effect.flatMap(
    Effect.promise(() => import("./archive/backup.ts")),
    (copying) => copying.backup(options),
  )

/**
 * Copies a backup back to a log's name. Verifies the backup before and after. `replace` replaces an existing log unless
 * a kernel holds its lease or any process has it open. The result is this user's own log if this user made the backup,
 * on this machine, of an own log; otherwise it is foreign. Keys and plugins' copies that the backup lacks stay: losing
 * the keys would lose personal data for good.
 */
export const restore = (options: CopyOptions): Effect.Effect<Copied, CopyError> =>
  Effect.flatMap(
    Effect.promise(() => import("./archive/backup.ts")),
    (copying) => copying.restore(options),
  )

/**
 * Measures a log's storage in one read transaction on its own connection, so that all figures describe the same moment.
 * Reads each event once, in slices, yielding to the event loop between them, and parses no payload. Memory grows only
 * with the number of streams.
 */
export const measureSpace = (
  filename: string,
  options: SpaceOptions = {},
): Effect.Effect<Space, InvalidOptions | OpenError> =>
  Effect.flatMap(
    Effect.promise(() => import("./archive/storageUsage.ts")),
    (usage) => usage.measureSpace(filename, options),
  )

/**
 * Creates a log from another one's events, with positions, ids, times and hashes. Both logs have the same chain, so
 * anchors of one are valid for the other. Returns the head. Verifies each event before writing it; the first that does
 * not continue the chain fails the import, and no log remains.
 */
export const importEvents = <E, R>(
  options: ImportOptions<E, R>,
): Effect.Effect<Head, E | InvalidOptions | NotImported | OpenError | StatementError, R> =>
  Effect.flatMap(
    Effect.promise(() => import("./import.ts")),
    (importing) => importing.importEvents(options),
  )

/**
 * Examines a log's file without changing it: the file and its siblings, all checks of `verify`, the journal mode and
 * the lease. Damage is a finding, never an error, so the remaining checks run.
 */
export const examine = (
  filename: string,
  options: ExamineOptions = {},
): Effect.Effect<Examination, InvalidOptions | OpenError> =>
  Effect.flatMap(
    Effect.promise(() => import("./integrity/doctor.ts")),
    (doctor) => doctor.examine(filename, options),
  )
