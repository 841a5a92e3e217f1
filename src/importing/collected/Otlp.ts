/**
 * Files of OpenTelemetry: traces and logs as an exporter sends them or a collector's file exporter writes them. A JSON
 * document, a line per export, or messages in protobuf.
 */

import { spanMapper, traces } from "../otlp/Otlp.ts"
import { framingOf } from "../protobuf/Frames.ts"
import type { FileHead, Source } from "../Source.ts"
import { LogSessions } from "./LogSessions.ts"

const BEGIN = /^\s*\{/
const NAMES = /"(?:resourceSpans|resource_spans|resourceLogs|resource_logs)"\s*:\s*\[/

export const otlp: Source = {
  ...{ name: traces.name, capture: traces.capture },
  title: "file of traces or logs in OTLP",
  form: "either",
  messages: framingOf,
  recognizes: ({ text }: FileHead) => BEGIN.test(text) && NAMES.test(text),
  open: (file, runs) => {
    const spans = spanMapper(file, runs, traces.reader)
    const logs = new LogSessions(file, runs, spans.conversationOf)
    return {
      survey: (record) => {
        spans.survey(record)
        logs.survey(record.value)
      },
      asks: () => logs.asks(),
      record: (record) => {
        spans.record(record)
        logs.record(record.value)
      },
      end: function* () {
        yield* spans.end()
        yield* logs.end()
      },
    }
  },
}
