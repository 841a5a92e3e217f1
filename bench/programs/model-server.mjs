/** Streams an answer to every request, as OpenAI's chat does. Prints its port, and exits at the end of its input. */
import * as http from "node:http"

const PIECES = 20

const event = (choice) => `data: ${JSON.stringify({ id: "chat-1", choices: [{ index: 0, ...choice }] })}\n\n`
const answer = [
  ...Array.from({ length: PIECES }, (_, index) => event({ delta: { content: `word ${index} ` } })),
  event({ delta: {}, finish_reason: "stop" }),
  "data: [DONE]\n\n",
].join("")

const server = http.createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(answer)
  })
})
// A busy machine may hold a client up for longer than the usual 5 s, which would then meet a closed connection.
server.keepAliveTimeout = 600_000
server.listen(0, "127.0.0.1", () => console.log(server.address().port))
process.stdin.resume().on("end", () => process.exit(0))
