import { describe, expect, it } from "vitest"
import * as ProgramName from "../../src/cli/record/ProgramName.ts"

const nameOf = (line: string): string => ProgramName.of(line.split(" "))

describe("the agent's name in a command line", () => {
  it.each([
    "node agent.ts",
    "node ./src/agent.mjs --model gpt config.json",
    "/usr/bin/node agent",
    "node --import ./loader.mjs agent.ts",
    "node --import=./loader.mjs agent.ts",
    "node -r ./first.cjs --require=./second.cjs agent.js",
    "node --loader ts-node/esm.mjs agent.ts",
    "node --experimental-loader ./loader.js agent.ts",
    "node --conditions development agent.ts",
    "node -C dev.js agent.ts",
    "node --env-file=.env agent.ts",
    "node --env-file .env.js agent.ts",
    "node --inspect --max-old-space-size=4096 --title other.js agent.ts",
    "node --enable-source-maps -- agent.ts",
    "node --run agent",
    "python agent.py data.csv",
    "python3.12 -u -W ignore -X dev agent.py",
    "python -Wignore -um agent --verbose",
    "python -m agent",
    "python -magent",
    "uv run agent.py",
    "uv run --with openai.py --env-file .env -- agent.py",
    "uv run python -m agent",
    "uv --directory x run -m agent",
    "poetry run python agent.py",
    "conda run -n env.py python agent.py",
    "npx tsx agent.ts",
    "npx -y -p tsx.js tsx --tsconfig other.ts agent.ts",
    "npx tsx@4 agent.ts",
    "npx @scope/agent@1.2.3",
    "npm exec -- tsx watch agent.ts",
    "npm run agent",
    "pnpm tsx agent.ts",
    "tsx --import ./loader.mjs agent.ts",
    "ts-node -P tsconfig.ts agent.ts",
    "deno run -A agent.ts",
    "deno run --config other.ts --allow-net=example.com agent.ts",
    "deno agent.ts",
    "deno run npm:agent@1.0",
    "deno task agent",
    "bun agent.ts",
    "bun run agent.ts",
    "bun --preload ./loader.ts run agent.ts",
    "bun x agent",
    "ruby -r ./setup.rb agent.rb",
    "java -cp lib.jar -jar agent.jar",
    "bash -x agent.sh",
    "go run ./cmd/agent",
    "env -u HOME A=1.js node agent.js",
    "A=1.js node agent.js",
    "timeout 10 node agent.js",
    "cross-env A=b.js node agent.js",
    "./bin/agent --config x.js.yaml",
    "unknown-runner --fast agent.rb",
    "NODE.EXE agent.js".replace("NODE.EXE", "node.exe"),
  ])("%s", (line) => {
    expect(nameOf(line)).toBe("agent")
  })

  it.each([
    "node -e agent.js",
    "node --eval=code.js agent.js",
    "node -p 1+1",
    "node -",
    "node",
    "node --import ./loader.mjs",
    "node --import ./loader.mjs -e code agent.ts",
    "python -c print(1) agent.py",
    "python -uc print(1) agent.py",
    "deno eval code.ts",
    "bun -e code.ts",
    "sh -ec agent.sh",
    "npx -c agent.js",
    "A=1",
    "",
  ])("%s has none of its own", (line) => {
    expect(nameOf(line)).toBe("program")
  })

  it("is no name that a log cannot show", () => {
    expect(ProgramName.of(["node", "a\u0007.js"])).toBe("program")
    expect(ProgramName.of([])).toBe("program")
  })

  it("is that of a module within its package, and of a directory", () => {
    expect(nameOf("python -m agents.writer")).toBe("agents.writer")
    expect(nameOf("python -m agents.__main__")).toBe("agents")
    expect(nameOf("node /home/agents/writer/")).toBe("writer")
  })
})
