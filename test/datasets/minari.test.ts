import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import type { EpisodeWriter } from "../../src/datasets/minari/EpisodeWriter.ts"
import * as Hdf5Episodes from "../../src/datasets/minari/Hdf5Episodes.ts"
import * as Metadata from "../../src/datasets/minari/Metadata.ts"
import * as ParquetEpisodes from "../../src/datasets/minari/ParquetEpisodes.ts"
import * as Arrow from "../../src/datasets/minari/reading/Arrow.ts"
import { Damaged } from "../../src/datasets/minari/reading/Column.ts"
import * as DataSet from "../../src/datasets/minari/reading/DataSet.ts"
import * as Parquet from "../../src/datasets/minari/reading/Parquet.ts"
import type { Space } from "../../src/plugins/author.ts"
import type { Json } from "../../src/values/Json.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"

const golden = (...names: ReadonlyArray<string>) => inRepository("test", "golden", "worlds", ...names)

const metadataIn = (directory: string) =>
  Metadata.decode(JSON.parse(fs.readFileSync(path.join(directory, "metadata.json"), "utf8")) as Json)

/** All episodes of a data set, with all their steps. */
const allIn = async (directory: string, metadata = metadataIn(directory)) => {
  const all: Array<object> = []
  for await (const { read, steps, ...episode } of DataSet.episodes(directory, metadata))
    all.push({ ...episode, steps: read(0, steps) })
  return all
}

const DISCRETE: Space = { type: "Discrete", n: 16 }

const withDirectory = (test: (directory: string) => Promise<void>) =>
  Effect.scoped(Effect.flatMap(temporaryDirectory, (directory) => Effect.promise(() => test(directory))))

describe("a data set that Minari wrote", () => {
  it.each(["cartpole", "frozenlake"])("is the same in HDF5, Arrow and Parquet: %s", async (name) => {
    const [hdf5, arrow, parquet] = await Promise.all(
      Metadata.FORMATS.map((format) => allIn(golden("minari", format, name, "fixture-v0", "data"))),
    )
    expect(hdf5).toHaveLength(3)
    expect(arrow).toEqual(hdf5)
    expect(parquet).toEqual(hdf5)
  })

  it("has the numbers of the environment to the last bit, and its information", async () => {
    const [first] = await allIn(golden("minari", "hdf5", "cartpole", "fixture-v0", "data"))
    expect(first).toMatchObject({
      seed: 0,
      first: [0.013696168549358845, -0.023021329194307327, -0.04590264707803726, -0.04834723472595215],
    })
    const [, lake] = await allIn(golden("minari", "arrow", "frozenlake", "fixture-v0", "data"))
    expect(lake).toMatchObject({
      info: { prob: 1 },
      steps: [{ info: { prob: 0.33333333333333337 } }, {}, {}, {}, {}, {}],
    })
  })
})

/** A space with every part that Minari writes, and values of it. */
const SPACE: Space = {
  type: "Dict",
  subspaces: {
    place: { type: "Box", dtype: "float32", shape: [2, 3], low: "-Infinity", high: "Infinity" },
    count: { type: "Discrete", n: 3, start: -1 },
    dice: { type: "MultiDiscrete", nvec: [6, 6] },
    bits: { type: "MultiBinary", n: [2, 2] },
    pair: {
      type: "Tuple",
      subspaces: [
        { type: "Text", max_length: 20 },
        { type: "Box", dtype: "uint8", shape: [1], low: 0, high: 255 },
      ],
    },
  },
}

const value = (seed: number): Json => ({
  place: [
    [Math.fround(seed / 3), "Infinity", "-Infinity"],
    [0, -seed, 1],
  ],
  count: (seed % 3) - 1,
  dice: [seed % 6, (seed * 7) % 6],
  bits: [
    [0, 1],
    [seed % 2, 0],
  ],
  pair: [`text ${seed} é`, [seed % 256]],
})

const episode = (steps: number) => ({
  seed: steps,
  options: {},
  observations: Array.from({ length: steps + 1 }, (_, index) => value(index)),
  actions: Array.from({ length: steps }, (_, index) => index % 2),
  rewards: Array.from({ length: steps }, (_, index) => index / 7),
  terminations: Array.from({ length: steps }, (_, index) => index === steps - 1),
  truncations: Array.from({ length: steps }, () => false),
})

const WRITERS = {
  hdf5: Hdf5Episodes.open,
  parquet: async (...of: Parameters<typeof ParquetEpisodes.open>): Promise<EpisodeWriter> =>
    ParquetEpisodes.open(...of),
} as const

describe("a data set that Hindcast wrote", () => {
  it.effect.each(["hdf5", "parquet"] as const)("reads back as it was: %s", (format) =>
    withDirectory(async (directory) => {
      const writer = await WRITERS[format](directory, SPACE, DISCRETE)
      for (const [index, steps] of [1, 2500].entries()) await writer.write(index, episode(steps))
      await writer.close()
      const written = { id: "a/b-v0", format, observation: SPACE, action: DISCRETE, episodes: 2, steps: 2501 }
      const text = Metadata.encode({ ...written, bytes: 1, agents: [], description: "" })
      const all = await allIn(directory, Metadata.decode(JSON.parse(text)))
      expect(all).toHaveLength(2)
      for (const [index, steps] of [1, 2500].entries()) {
        const { observations, rewards, actions, terminations } = episode(steps)
        expect(all[index]).toMatchObject({ seed: steps, first: observations[0] })
        expect((all[index] as { readonly steps: unknown }).steps).toEqual(
          rewards.map((reward, step) => ({
            ...{ reward, action: actions[step], terminated: terminations[step], truncated: false, info: {} },
            observation: observations[step + 1],
          })),
        )
      }
    }),
  )

  it("writes infinities as Minari does, and leaves texts alone", () => {
    const box: Space = { type: "Box", dtype: "float32", shape: [2], low: "-Infinity", high: "Infinity" }
    const space: Space = { type: "Dict", subspaces: { "a Infinity": box } }
    expect(Metadata.spaceText(space)).toBe(
      '{"type":"Dict","subspaces":{"a Infinity":{"type":"Box","dtype":"float32","shape":[2],"low":[-Infinity,-Infinity],"high":[Infinity,Infinity]}}}',
    )
  })
})

describe("a hostile data set", () => {
  const lake = { ...metadataIn(golden("minari", "hdf5", "frozenlake", "fixture-v0", "data")) }

  const hostile = (name: string) =>
    withDirectory(async (directory) => {
      fs.copyFileSync(golden("hostile-minari", `${name}.hdf5`), path.join(directory, Hdf5Episodes.FILE))
      fs.copyFileSync(golden("hostile-minari", "sound.hdf5"), path.join(directory, "sound.hdf5"))
      await expect(allIn(directory, lake)).rejects.toThrow(Damaged)
      await expect(allIn(directory, lake)).rejects.toThrow(REASONS[name])
    })

  const REASONS: Readonly<Record<string, string>> = {
    "link-to-file": 'episode 0: "observations", a link that leads out of the file',
    "soft-link-to-file": "HDF5 that cannot be read",
    "bytes-of-another-file": "HDF5 that cannot be read",
    "values-of-another-file": "whose values lie in other files",
    "billion-steps": "far more than a file of its size can hold",
    bomb: "observations with 16777216 numbers a row, where its space has 1",
    "rows-that-lie": "1 rows of terminations for 3 rewards",
    pickle: "neither numbers nor text",
    loop: "HDF5 that cannot be read",
    "nan-reward": "a reward that is NaN, at step 1",
  }

  it.effect.each(Object.keys(REASONS))("is refused with its reason: %s", hostile)

  it.effect("in HDF5 is refused if it is cut off", () =>
    withDirectory(async (directory) => {
      const whole = fs.readFileSync(golden("hostile-minari", "sound.hdf5"))
      for (const length of [0, 7, 100, whole.length - 1]) {
        fs.writeFileSync(path.join(directory, Hdf5Episodes.FILE), whole.subarray(0, length))
        await expect(allIn(directory, lake)).rejects.toThrow(Damaged)
      }
    }),
  )

  it.effect("is refused if its files are links", () =>
    withDirectory(async (directory) => {
      const target = golden("minari", "arrow", "frozenlake", "fixture-v0", "data", "0", "part-0.arrow")
      fs.mkdirSync(path.join(directory, "0"))
      fs.symlinkSync(target, path.join(directory, "0", "part-0.arrow"))
      await expect(allIn(directory, { ...lake, format: "arrow" })).rejects.toThrow("0/part-0.arrow, which is a link")
    }),
  )

  it.each([
    ["arrow", async (bytes: Buffer) => Arrow.columns(bytes)],
    ["parquet", (bytes: Buffer) => Parquet.columns(bytes, 1000)],
  ] as const)("is read or refused whatever its bytes are: %s", async (format, read) => {
    const whole = fs.readFileSync(golden("minari", format, "cartpole", "fixture-v0", "data", "0", `part-0.${format}`))
    const change = fc.record({ at: fc.nat(whole.length - 1), by: fc.integer({ min: 1, max: 255 }) })
    const changed = fc.record({ changes: fc.array(change, { maxLength: 4 }), cut: fc.option(fc.nat(whole.length)) })
    await fc.assert(
      fc.asyncProperty(changed, async ({ changes, cut }) => {
        const bytes = Buffer.from(whole.subarray(0, cut ?? whole.length))
        for (const { at, by } of changes) if (at < bytes.length) bytes[at] = ((bytes[at] ?? 0) + by) % 256
        try {
          for (const { rows, read: values } of (await read(bytes)).values()) values(0, Math.min(rows, 50))
        } catch (cause) {
          expect(cause).toBeInstanceOf(Damaged)
        }
      }),
      { numRuns: 300 },
    )
    await expect(read(Buffer.from("\x80\x04cposix\nsystem\n(S'id'\ntR."))).rejects.toThrow(Damaged)
  })
})
