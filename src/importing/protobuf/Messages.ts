/**
 * The protobuf messages of OTLP that Hindcast reads and writes, from the definitions of opentelemetry-proto 1.11
 * (https://github.com/open-telemetry/opentelemetry-proto, Apache-2.0), with the fields that it uses. Decoding skips all
 * others.
 */

/** A message type: each field's number and type. */
interface Message {
  readonly oneofs?: { readonly [name: string]: { readonly oneof: Array<string> } }
  readonly fields: {
    readonly [name: string]: { readonly id: number; readonly type: string; readonly rule?: "repeated" }
  }
}

const one = (id: number, type: string) => ({ id, type })

const many = (id: number, type: string) => ({ id, type, rule: "repeated" as const })

export const MESSAGES: { readonly [name: string]: Message } = {
  AnyValue: {
    fields: {
      stringValue: one(1, "string"),
      boolValue: one(2, "bool"),
      intValue: one(3, "int64"),
      doubleValue: one(4, "double"),
      arrayValue: one(5, "ArrayValue"),
      kvlistValue: one(6, "KeyValueList"),
      bytesValue: one(7, "bytes"),
    },
    // Members of a oneof are kept if they have their type's default, such as `false`.
    oneofs: {
      value: {
        oneof: [
          ...["stringValue", "boolValue", "intValue", "doubleValue"],
          ...["arrayValue", "kvlistValue", "bytesValue"],
        ],
      },
    },
  },
  ArrayValue: { fields: { values: many(1, "AnyValue") } },
  KeyValueList: { fields: { values: many(1, "KeyValue") } },
  KeyValue: { fields: { key: one(1, "string"), value: one(2, "AnyValue") } },
  Resource: { fields: { attributes: many(1, "KeyValue") } },
  TraceRequest: { fields: { resourceSpans: many(1, "ResourceSpans") } },
  ResourceSpans: { fields: { resource: one(1, "Resource"), scopeSpans: many(2, "ScopeSpans") } },
  ScopeSpans: { fields: { spans: many(2, "Span") } },
  Span: {
    fields: {
      traceId: one(1, "bytes"),
      spanId: one(2, "bytes"),
      parentSpanId: one(4, "bytes"),
      name: one(5, "string"),
      kind: one(6, "int32"),
      startTimeUnixNano: one(7, "fixed64"),
      endTimeUnixNano: one(8, "fixed64"),
      attributes: many(9, "KeyValue"),
      events: many(11, "SpanEvent"),
      status: one(15, "SpanStatus"),
      flags: one(16, "fixed32"),
    },
  },
  SpanEvent: { fields: { timeUnixNano: one(1, "fixed64"), name: one(2, "string"), attributes: many(3, "KeyValue") } },
  SpanStatus: { fields: { message: one(2, "string"), code: one(3, "int32") } },
  LogsRequest: { fields: { resourceLogs: many(1, "ResourceLogs") } },
  ResourceLogs: { fields: { resource: one(1, "Resource"), scopeLogs: many(2, "ScopeLogs") } },
  ScopeLogs: { fields: { logRecords: many(2, "LogRecord") } },
  LogRecord: {
    fields: {
      timeUnixNano: one(1, "fixed64"),
      body: one(5, "AnyValue"),
      attributes: many(6, "KeyValue"),
      traceId: one(9, "bytes"),
      spanId: one(10, "bytes"),
      observedTimeUnixNano: one(11, "fixed64"),
      eventName: one(12, "string"),
    },
  },
  /** The answers to traces, logs and metrics have the same form. */
  Response: { fields: { partialSuccess: one(1, "PartialSuccess") } },
  PartialSuccess: { fields: { rejected: one(1, "int64"), errorMessage: one(2, "string") } },
  /** `google.rpc.Status`, the body of a refusal. */
  Status: { fields: { code: one(1, "int32"), message: one(2, "string") } },
}
