/**
 * The `EventLog` namespace of the package: the log's interface and its backends.
 *
 * @module hindcast/events
 */
export type { LogCopied, LogCopyError, LogCopyOptions } from "./copying/copy.ts"
export { copy } from "./copying/onDemand.ts"
export { type DecidedAppend, type Decider, decider } from "./log/Decider.ts"
export * from "./log/EventLog.ts"
export { type Copied, type CopyError, type CopyOptions, NotCopied } from "./maintenance/Backup.ts"
export { layer as layerMemory } from "./memory/MemoryEventLog.ts"
export { layer as layerPostgres, type PostgresOptions } from "./postgres/layer.ts"
export type { SpaceOptions } from "./sqlite/archive/storageUsage.ts"
export type { ExamineOptions } from "./sqlite/integrity/doctor.ts"
export { layer as layerSqlite, type SqliteOptions } from "./sqlite/SqliteEventLog.ts"
export { sql } from "./sqlite/sql.ts"
export { backup, examine, importEvents, measureSpace, restore } from "./sqlite/wholeFile.ts"
