/**
 * `node decoding.mjs FILE`: receives OTLP traces in protobuf, and inserts each span's JSON into a plain table, a request
 * in a commit that is on the disk. Prints its address as JSON.
 */
import * as http from "node:http"
import Database from "better-sqlite3"
import protobuf from "protobufjs"
import { MESSAGES } from "../../dist/importing/protobuf/Messages.js"

const [, , file] = process.argv
const type = protobuf.Root.fromJSON({ nested: MESSAGES }).lookupType("TraceRequest")
const database = new Database(file)
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE span (body TEXT)")
const insert = database.prepare("INSERT INTO span VALUES (?)")

const store = database.transaction((request) => {
  for (const { scopeSpans } of request.resourceSpans)
    for (const { spans } of scopeSpans) for (const span of spans) insert.run(JSON.stringify(span))
})

const server = http.createServer(async (request, response) => {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  store(type.decode(Buffer.concat(pieces)))
  response.end()
})
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`),
)
process.on("SIGINT", () => process.exit(0))
