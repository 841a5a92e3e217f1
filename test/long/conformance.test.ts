import { suite } from "../../src/testing.ts"
import { temporaryLog } from "../temporary.ts"

suite("SQLite file, durability full", temporaryLog({ durability: "full" }))
