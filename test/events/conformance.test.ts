import * as MemoryEventLog from "../../src/events/MemoryEventLog.ts"
import { suite } from "../../src/testing.ts"
import { temporaryLog } from "../temporary.ts"

suite("SQLite file", temporaryLog())
suite("SQLite file, durability full", temporaryLog({ durability: "full" }))
suite("plain memory", MemoryEventLog.layer())
