/**
 * The package's `EventLog` namespace: the interface of the log, and the backends that implement it.
 *
 * @module hindcast/events
 */
export { type DecidedAppend, type Decider, decider } from "./log/Decider.ts"
export * from "./log/EventLog.ts"
export { layer as layerMemory } from "./memory/MemoryEventLog.ts"
export { backup, type Copied, type CopyError, type CopyOptions, NotCopied, restore } from "./sqlite/archive/backup.ts"
export { measureSpace, type SpaceOptions } from "./sqlite/archive/storageUsage.ts"
export { importEvents } from "./sqlite/import.ts"
export { type ExamineOptions, examine } from "./sqlite/integrity/doctor.ts"
export { layer as layerSqlite, type SqliteOptions } from "./sqlite/SqliteEventLog.ts"
