export * as EventLog from "./events/index.ts"
