import { Context, type Effect, Layer } from "effect"
import { EventLog, Lease, PersonalData, Presence, Snapshots } from "../../src/index.ts"
import {
  type Backend,
  type BackendServices,
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

/** The memory backend, provided under the names that the package exports, as a backend of somebody else's has to be. */
const byPublicNames: Backend<BackendServices, Effect.Effect.Success<typeof memory.place>> = {
  ...memory,
  open: (at) =>
    Layer.map(memory.open(at), (services) =>
      Context.make(EventLog.EventLog, Context.get(services, EventLog.EventLog)).pipe(
        Context.add(Lease.Lease, Context.get(services, Lease.Lease)),
        Context.add(Presence.Presence, Context.get(services, Presence.Presence)),
        Context.add(Snapshots.Snapshots, Context.get(services, Snapshots.Snapshots)),
        Context.add(PersonalData.PersonalData, Context.get(services, PersonalData.PersonalData)),
      ),
    ),
}

leaseSuite("services by public names", byPublicNames)
presenceSuite("services by public names", byPublicNames)
