/** Programs that run another one, and how their command lines name it. Data. */

/** A program that runs a file or another program. */
export interface Runner {
  /** Its file's name, without `.exe`. */
  readonly name: RegExp
  /** `file`: the first word is a file. `command`: it is a file, or another program with its words. */
  readonly runs: "file" | "command"
  /** Options whose value is the next word, unless it follows `=`. */
  readonly valued: ReadonlySet<string>
  /** Options and words after which the program has no file: its text is in the command line. */
  readonly code: ReadonlySet<string>
  /** Options whose value names the program. */
  readonly naming: ReadonlySet<string>
  /** Words before the file, such as `run`. */
  readonly verbs: ReadonlySet<string>
  /** Whether letters of options stand together, with a value right behind: `-um package`. */
  readonly joinsLetters: boolean
}

const set = (words = ""): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ""))

interface Words {
  readonly valued?: string
  readonly code?: string
  readonly naming?: string
  readonly verbs?: string
  readonly joinsLetters?: boolean
}

const runner = (
  name: RegExp,
  runs: Runner["runs"],
  { valued, code, naming, verbs, joinsLetters = false }: Words = {},
): Runner => ({
  ...{ name, runs, joinsLetters },
  ...{ valued: set(valued), code: set(code), naming: set(naming), verbs: set(verbs) },
})

/** `node --help` of Node 20 to 24 (https://nodejs.org/api/cli.html). V8's options take values after `=` only. */
const NODE = `-r --require --import --loader --experimental-loader -C --conditions --env-file --env-file-if-exists
  --input-type --experimental-default-type --title --watch-path --watch-kill-signal --test-concurrency
  --test-name-pattern --test-skip-pattern --test-reporter --test-reporter-destination --test-shard --test-timeout
  --test-isolation --test-global-setup --test-coverage-include --test-coverage-exclude --allow-fs-read --allow-fs-write
  --build-snapshot-config --cpu-prof-dir --cpu-prof-interval --cpu-prof-name --diagnostic-dir --disable-proto
  --disable-warning --dns-result-order --experimental-policy --experimental-sea-config --experimental-config-file
  --heap-prof-dir --heap-prof-interval --heap-prof-name --heapsnapshot-near-heap-limit --heapsnapshot-signal
  --icu-data-dir --localstorage-file --inspect-port --debug-port --inspect-publish-uid --max-http-header-size
  --network-family-autoselection-attempt-timeout --openssl-config --policy-integrity --redirect-warnings --report-dir
  --report-directory --report-filename --report-signal --secure-heap --secure-heap-min --snapshot-blob
  --tls-cipher-list --tls-keylog --trace-event-categories --trace-event-file-pattern --trace-require-module
  --unhandled-rejections --use-largepages --v8-pool-size`

const NODE_CODE = "-e -p -pe --eval --print"

/** https://docs.astral.sh/uv/reference/cli: of `uv` itself and of `uv run` */
const UV = `--with --with-editable --with-requirements --extra --no-extra --group --no-group --only-group --env-file
  --python -p --package --no-package --project --directory --index --default-index --index-url -i --extra-index-url
  --find-links -f --config-file --cache-dir --color --resolution --prerelease --link-mode --refresh-package
  --upgrade-package -P --reinstall-package --index-strategy --keyring-provider --allow-insecure-host --from
  --config-setting -C --exclude-newer --python-platform --fork-strategy --no-build-package --no-binary-package`

/** The first match counts. */
export const ALL: ReadonlyArray<Runner> = [
  runner(/^node(js)?$/, "file", { valued: NODE, code: NODE_CODE, naming: "--run", verbs: "inspect" }),
  runner(/^tsx$/, "file", { valued: `${NODE} --tsconfig --include --exclude`, code: NODE_CODE, verbs: "watch" }),
  runner(/^ts-node(-esm|-script|-transpile-only|-cwd)?$/, "file", {
    valued: `${NODE} -P --project --cwd --scope-dir --compiler -I --ignore -D --ignoreDiagnostics -O --compilerOptions`,
    code: NODE_CODE,
  }),
  runner(/^(vite-node|nodemon)$/, "command", {
    valued: "-c --config -r --root -m --mode -w --watch -e --ext -i --ignore -d --delay -x --exec -s --signal",
  }),
  runner(/^deno$/, "file", {
    valued: "-c --config --import-map --cert --location --seed --log-level -L --ext --allow-import --frozen-lockfile",
    code: "eval repl",
    verbs: "run serve test bench task x",
  }),
  runner(/^bun$/, "command", {
    valued: `-r --preload --require --import --cwd -c --config --conditions -d --define -l --loader --tsconfig-override
      --env-file --shell --filter -F --port --install --drop --main-fields --extension-order --jsx-factory`,
    code: "-e -p --eval --print",
    verbs: "run x exec test",
  }),
  runner(/^(npx|bunx|pnpx)$/, "command", { valued: "-p --package -w --workspace --prefix", code: "-c --call" }),
  runner(/^(npm|pnpm|yarn)$/, "command", {
    valued: "-w --workspace --prefix -C --dir --cwd --filter -F -p --package",
    code: "-c --call",
    verbs: "run run-script exec x dlx",
  }),
  runner(/^(python|pypy)[\d.]*w?t?$|^py$/, "file", {
    valued: "-W -X -Q --check-hash-based-pycs",
    code: "-c",
    naming: "-m",
    joinsLetters: true,
  }),
  runner(/^uv$/, "command", { valued: UV, naming: "-m --module", verbs: "run tool" }),
  runner(/^uvx$/, "command", { valued: UV }),
  runner(/^(poetry|pipenv|pdm|rye|hatch|pixi)$/, "command", {
    valued: "-C --directory -P --project -p -e --env --environment",
    verbs: "run",
  }),
  runner(/^(conda|mamba|micromamba)$/, "command", { valued: "-n --name -p --prefix --cwd", verbs: "run" }),
  runner(/^(ruby|perl)$/, "file", { valued: "-r -I -C", code: "-e -E", joinsLetters: true }),
  runner(/^php$/, "file", { valued: "-c -d -z", code: "-r -B -R", naming: "-f -F" }),
  runner(/^java$/, "file", {
    valued: "-cp -classpath --class-path -p --module-path --add-modules --add-opens --add-exports --source",
    naming: "-jar -m --module",
  }),
  runner(/^(ba|da|z|k)?sh$/, "file", { valued: "-o -O +o", code: "-c", joinsLetters: true }),
  runner(/^go$/, "file", { valued: "-C -exec -tags -ldflags -gcflags -mod -p", verbs: "run" }),
  runner(/^(bundle|rbenv|pyenv)$/, "command", { verbs: "exec" }),
  runner(/^env$/, "command", { valued: "-u --unset -C --chdir", joinsLetters: true }),
  runner(/^(time|nohup|exec|command|caffeinate|xvfb-run)$/, "command"),
  runner(/^(nice|timeout|stdbuf|ionice)$/, "command", { valued: "-n -k -s -i -o -e -c" }),
  runner(/^(dotenv|dotenvx|cross-env)$/, "command", { valued: "-f -e -c -v --env-file", verbs: "run" }),
]
