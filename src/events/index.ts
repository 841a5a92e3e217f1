/** What the package calls `EventLog`: the interface, and the logs that implement it. */
export { type Decided, type Decider, decider } from "./Deciding.ts"
export * from "./EventLog.ts"
export { layer as layerMemory } from "./MemoryEventLog.ts"
export { type ExamineOptions, examine } from "./sqlite/doctor.ts"
export { importEvents } from "./sqlite/import.ts"
export { layer as layerSqlite, type SqliteOptions } from "./sqlite/SqliteEventLog.ts"
export { measureSpace, type SpaceOptions } from "./sqlite/space.ts"
