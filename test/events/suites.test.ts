import {
  backendSuite,
  blobsSuite,
  leaseSuite,
  personalDataSuite,
  presenceSuite,
  recorderSuite,
  snapshotsSuite,
} from "../../src/testing.ts"
import { memory, sqliteFile, sqliteMemory } from "./backends.ts"

backendSuite("plain memory", memory)

// The suite of the log runs in `conformance.test.ts`.
recorderSuite("SQLite file", sqliteFile)
leaseSuite("SQLite file", sqliteFile)
presenceSuite("SQLite file", sqliteFile)
snapshotsSuite("SQLite file", sqliteFile)
personalDataSuite("SQLite file", sqliteFile)
blobsSuite("SQLite file", sqliteFile)

recorderSuite("SQLite in memory", sqliteMemory)
snapshotsSuite("SQLite in memory", sqliteMemory)
personalDataSuite("SQLite in memory", sqliteMemory)
blobsSuite("SQLite in memory", sqliteMemory)
