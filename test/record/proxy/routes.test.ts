import { describe, expect, it } from "vitest"
import * as Routes from "../../../src/record/proxy/Routes.ts"

const PROXY = "http://127.0.0.1:4000"

/** Where a client's request ends, that asks at the address in a variable. */
const ends = (env: Record<string, string>, variable: string, path: string, region?: string) => {
  const routes = Routes.of(env)
  const address = routes.variables(PROXY)[variable] ?? ""
  return routes.target(address.slice(PROXY.length) + path, region)?.url.href
}

describe("a proxy's ways", () => {
  it.each([
    ["OPENAI_BASE_URL", "/chat/completions", "https://api.openai.com/v1/chat/completions"],
    ["OPENAI_API_BASE", "/v1/chat/completions", "https://api.openai.com/v1/chat/completions"],
    ["ANTHROPIC_BASE_URL", "/v1/messages?beta=true", "https://api.anthropic.com/v1/messages?beta=true"],
    ["ANTHROPIC_BASE_URL", "/v1/v1/messages", "https://api.anthropic.com/v1/messages"],
    ["ANTHROPIC_API_URL", "/messages", "https://api.anthropic.com/v1/messages"],
    ["ANTHROPIC_BASE_URL", "/api/event_logging/batch", "https://api.anthropic.com/api/event_logging/batch"],
    [
      "GOOGLE_GEMINI_BASE_URL",
      "/v1/models/g:generateContent",
      "https://generativelanguage.googleapis.com/v1/models/g:generateContent",
    ],
    [
      "GEMINI_API_BASE",
      "/models/g:generateContent?key=k",
      "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent?key=k",
    ],
    ["GOOGLE_GEMINI_BASE_URL", "/upload/v1beta/files", "https://generativelanguage.googleapis.com/upload/v1beta/files"],
    [
      "GOOGLE_VERTEX_BASE_URL",
      "/v1beta1/projects/p/locations/us-east5/publishers/google/models/g:generateContent",
      "https://us-east5-aiplatform.googleapis.com/v1beta1/projects/p/locations/us-east5/publishers/google/models/g:generateContent",
    ],
    [
      "ANTHROPIC_VERTEX_BASE_URL",
      "/projects/p/locations/global/publishers/anthropic/models/c:rawPredict",
      "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/anthropic/models/c:rawPredict",
    ],
    ["OLLAMA_HOST", "/api/chat", "http://127.0.0.1:11434/api/chat"],
    ["CO_API_URL", "/v2/chat", "https://api.cohere.com/v2/chat"],
    ["GROQ_BASE_URL", "/openai/v1/chat/completions", "https://api.groq.com/openai/v1/chat/completions"],
    ["GROQ_API_BASE", "/chat/completions", "https://api.groq.com/openai/v1/chat/completions"],
    ["MISTRAL_BASE_URL", "/v1/chat/completions", "https://api.mistral.ai/v1/chat/completions"],
    [
      "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
      "/model/a%3A0/converse",
      "https://bedrock-runtime.us-east-1.amazonaws.com/model/a%3A0/converse",
    ],
  ])("lead %s with %s to the provider", (variable, path, url) => {
    expect(ends({}, variable, path)).toBe(url)
  })

  it("keep the query of an address for its provider, before that of the request", () => {
    const own = {
      OPENAI_BASE_URL: "https://gateway.example.com/v1?team=a%20b&key=k",
      ANTHROPIC_BASE_URL: "https://g.example?x=1",
    }
    expect(ends(own, "OPENAI_BASE_URL", "/responses")).toBe("https://gateway.example.com/v1/responses?team=a%20b&key=k")
    expect(ends(own, "OPENAI_API_BASE", "/files?after=f")).toBe(
      "https://gateway.example.com/v1/files?team=a%20b&key=k&after=f",
    )
    expect(ends(own, "ANTHROPIC_BASE_URL", "/v1/messages?beta=true")).toBe(
      "https://g.example/v1/messages?x=1&beta=true",
    )
    expect(Routes.of(own).named.OPENAI_BASE_URL).toBe(own.OPENAI_BASE_URL)
  })

  it("lead to what a variable named before, and one that is not set to what another of the same provider names", () => {
    const own = { OPENAI_API_BASE: "https://gateway.example.com/llm/v1/", OLLAMA_HOST: "0.0.0.0:4321" }
    expect(ends(own, "OPENAI_API_BASE", "/responses")).toBe("https://gateway.example.com/llm/v1/responses")
    expect(ends(own, "OPENAI_BASE_URL", "/responses")).toBe("https://gateway.example.com/llm/v1/responses")
    expect(ends(own, "OLLAMA_API_BASE", "/api/chat")).toBe("http://127.0.0.1:4321/api/chat")
    const two = { ...own, OPENAI_BASE_URL: "http://127.0.0.1:9/plain" }
    expect(ends(two, "OPENAI_BASE_URL", "/chat/completions")).toBe("http://127.0.0.1:9/plain/chat/completions")
    expect(ends(two, "OPENAI_API_BASE", "/chat/completions")).toBe(
      "https://gateway.example.com/llm/v1/chat/completions",
    )
    expect(ends({ AWS_ENDPOINT_URL: "http://127.0.0.1:4566" }, "AWS_BEDROCK_RUNTIME_ENDPOINT", "/model/m/invoke")).toBe(
      "http://127.0.0.1:4566/model/m/invoke",
    )
    expect(ends({ AWS_REGION: "eu-west-1" }, "AWS_BEDROCK_RUNTIME_ENDPOINT", "/model/m/invoke")).toContain(
      "bedrock-runtime.eu-west-1.",
    )
    expect(ends({ AWS_REGION: "eu-west-1" }, "AWS_BEDROCK_RUNTIME_ENDPOINT", "/model/m/invoke", "us-west-2")).toContain(
      "bedrock-runtime.us-west-2.",
    )
    expect(
      ends(
        { AZURE_OPENAI_ENDPOINT: "https://x.openai.azure.com" },
        "AZURE_OPENAI_ENDPOINT",
        "/openai/deployments/d/chat/completions?api-version=1",
      ),
    ).toBe("https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1")
  })

  it("are found by the path where a client leaves its prefix out", () => {
    const { target, variables } = Routes.of({})
    expect(variables(PROXY).AZURE_OPENAI_ENDPOINT).toBeUndefined()
    expect(target("/v1/messages")?.url.host).toBe("api.anthropic.com")
    expect(target("/chat/completions")?.url.href).toBe("https://api.openai.com/v1/chat/completions")
    expect(target("/v1beta/models/g:generateContent")?.url.host).toBe("generativelanguage.googleapis.com")
    expect(target("/api/chat")?.url.port).toBe("11434")
    // What the proxy signs for is asked by a prefix that only its program knows.
    expect(target("/model/m/converse")).toBeUndefined()
    expect(Routes.of({}, "secret").target("/bedrock/model/m/converse")).toBeUndefined()
    expect(target("/")).toBeUndefined()
    expect(target("/../etc/passwd")).toBeUndefined()
  })

  it("never leave the host that is named", () => {
    for (const path of ["//evil.example/v1", "/@evil.example/", "/\\evil.example", "/..//evil.example"]) {
      expect(new URL(ends({}, "OPENAI_BASE_URL", path) ?? "").host).toBe("api.openai.com")
    }
  })

  it("keep a user and a password for the client, and out of what is recorded", () => {
    const routes = Routes.of({ OPENAI_BASE_URL: "https://user:pass@gateway.example.com/v1" })
    expect(routes.variables(PROXY).OPENAI_BASE_URL).toBe("http://user:pass@127.0.0.1:4000/openai/v1")
    expect(routes.named).toMatchObject({ OPENAI_BASE_URL: "https://gateway.example.com/v1" })
    expect(() => Routes.of({ OPENAI_BASE_URL: "gateway.example.com" })).toThrow("OPENAI_BASE_URL: expected an address")
  })
})

it.each([
  "notaurl://bob:pass-word-1@x y/v1",
  "http://bob:pass-word-1@bad host/v1",
  "bob:pass-word-1@example.com",
  "pass-word-1@example.com",
  "example.com/v1?api-key=pass-word-1",
])("names a wrong address without its password or key: %s", (address) => {
  const refused = () => Routes.of({ OPENAI_BASE_URL: address })
  expect(refused).toThrow(/OPENAI_BASE_URL: expected an address/)
  expect(refused).not.toThrow(/pass-word-1/)
})
