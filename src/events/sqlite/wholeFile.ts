/**
 * Work on a log's whole file that programs ask for by name and rarely: copying, importing, measuring, examining. Each is loaded when it is
 * asked for, so that importing the log does not load them.
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
 * Copies a log by SQLite's own backup, as of one moment, also while other processes write to it; with its segments, the
 * copies of its plugins and, if asked for, its keys. The copy is verified, and gets its name when it is complete. Only its owner
 * can read it. A process that is killed leaves nothing under that name, and its files are removed by the next copy to it.
 */
export const backup = (options: CopyOptions): Effect.Effect<Copied, CopyError> =>
  Effect.flatMap(
    Effect.promise(() => import("./archive/backup.ts")),
    (copying) => copying.backup(options),
  )

/**
 * Copies a backup back to a log's name, like `backup`. The backup is verified before and after. With `replace`, a log that is there is
 * replaced unless a kernel holds its lease or any process has it open. It is this user's own log if this user made the backup, on this
 * machine, of a log of their own; otherwise it is foreign. Its keys and its plugins' copies stay if none are copied: without
 * its keys, personal data would be lost for good.
 */
export const restore = (options: CopyOptions): Effect.Effect<Copied, CopyError> =>
  Effect.flatMap(
    Effect.promise(() => import("./archive/backup.ts")),
    (copying) => copying.restore(options),
  )

/**
 * Measures the storage of a log, in one read transaction on a connection of its own, so that all figures are of the
 * same moment while others append. Counts in SQL, in constant memory, and parses no payload. One step blocks the
 * process for about 50 ms per 200,000 events; it yields to the event loop between steps.
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
 * Creates a log from the events of another one, each with its position, id, times and hash: the two logs have the same
 * chain, and an anchor of one is valid for the other. Returns the head.
 *
 * Every event is verified against the chain before it is written. The first one that does not continue the chain fails
 * the import, and no log remains.
 */
export const importEvents = <E, R>(
  options: ImportOptions<E, R>,
): Effect.Effect<Head, E | InvalidOptions | NotImported | OpenError | StatementError, R> =>
  Effect.flatMap(
    Effect.promise(() => import("./import.ts")),
    (importing) => importing.importEvents(options),
  )

/**
 * Examines a log's file without changing it: the file and its sibling files, everything that `verify` checks, the
 * journal mode and the lease. Damage is reported as a finding, never as an error, so that the remaining checks run.
 */
export const examine = (
  filename: string,
  options: ExamineOptions = {},
): Effect.Effect<Examination, InvalidOptions | OpenError> =>
  Effect.flatMap(
    Effect.promise(() => import("./integrity/doctor.ts")),
    (doctor) => doctor.examine(filename, options),
  )
