import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listArtifacts } from '../../../src/engine/command/artifacts.ts'
import { emptyDirectory, sh } from './running.ts'

test('a program leaves files where it is told to', async () => {
  const artifactsDirectory = emptyDirectory()
  const script = 'cd "$STINT_ARTIFACTS" && mkdir -p b/c && echo 1 >b/c/two.txt && echo 2 >"b/a name" && : >a && exit 4'
  const { exitCode, artifacts } = await sh(script, { artifactsDirectory }).end
  expect({ exitCode, artifacts }).toEqual({ exitCode: 4, artifacts: ['a', 'b/a name', 'b/c/two.txt'] })
})

test('paths are sorted as wholes, not folder by folder', async () => {
  const directory = emptyDirectory()
  for (const name of ['a', 'a!', 'b']) mkdirSync(join(directory, name))
  const paths = ['a!/x', 'a-b', 'a.txt', 'a/x', 'a0', 'b/x', 'ä', '😀']
  for (const path of paths.toReversed()) writeFileSync(join(directory, path), '')
  const artifacts = await listArtifacts(directory)
  expect(artifacts).toEqual([...paths].sort())
  expect(artifacts).toEqual(paths)
})

test('links are left out, whatever they point to', async () => {
  const outside = emptyDirectory()
  writeFileSync(join(outside, 'secret'), '')
  const directory = emptyDirectory()
  writeFileSync(join(directory, 'real'), '')
  symlinkSync(outside, join(directory, 'folder'))
  symlinkSync(join(outside, 'secret'), join(directory, 'file'))
  symlinkSync(directory, join(directory, 'circle'))
  expect(await listArtifacts(directory)).toEqual(['real'])
})

test('a program that makes a link of its directory shows nothing of the target', async () => {
  const outside = emptyDirectory()
  writeFileSync(join(outside, 'secret'), '')
  const directory = emptyDirectory()
  rmSync(directory, { recursive: true })
  symlinkSync(outside, directory)
  expect(await listArtifacts(directory)).toEqual([])
})

test('a directory that is gone holds nothing', async () => {
  const artifactsDirectory = emptyDirectory()
  const { artifacts } = await sh('rm -r "$STINT_ARTIFACTS"', { artifactsDirectory }).end
  expect(artifacts).toEqual([])
})

test('sockets, pipes and names that are no UTF-8 are left out', async () => {
  const artifactsDirectory = emptyDirectory()
  const script = 'cd "$STINT_ARTIFACTS" && mkfifo pipe && : >"$(printf "bad\\377")"; : >good'
  expect((await sh(script, { artifactsDirectory }).end).artifacts).toEqual(['good'])
})

test('the first 1,000 by path', async () => {
  const directory = emptyDirectory()
  for (const folder of ['a', 'b', 'c']) {
    mkdirSync(join(directory, folder))
    for (let i = 0; i < 400; i++) writeFileSync(join(directory, folder, `${i}`.padStart(3, '0')), '')
  }
  const artifacts = await listArtifacts(directory)
  expect([artifacts.length, artifacts[0], artifacts.at(-1)]).toEqual([1_000, 'a/000', 'c/199'])
})

test('a path longer than 4,096 bytes is left out', async () => {
  const artifactsDirectory = emptyDirectory()
  const step = 'd'.repeat(200)
  const script = `cd "$STINT_ARTIFACTS"; : >top; i=0; while [ $i -lt 22 ]; do mkdir ${step} && cd ${step} && : >f; i=$((i+1)); done`
  const { artifacts } = await sh(script, { artifactsDirectory }).end
  expect(artifacts).toContain('top')
  expect(artifacts.length).toBeGreaterThan(10)
  expect(Math.max(...artifacts.map((path) => Buffer.byteLength(path)))).toBeLessThanOrEqual(4_096)
})
