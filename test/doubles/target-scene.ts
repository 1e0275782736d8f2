/** A target with clients that are bare sockets, for tests that compare what came with what the truth log says. */
import assert from 'node:assert/strict'
import { sequenceRanges } from '../../src/target/sequence-range.ts'
import { startTarget, type Target, type TargetOptions } from '../../src/target/target.ts'
import type { StreamTruth } from '../../src/target/truth.ts'
import { probeBody, TEST_RUN } from './probe-bodies.ts'
import { RawClient, type RawClientOptions } from './raw-client.ts'

export class TargetScene {
  static readonly stream = 'public.scene'
  readonly target: Target
  readonly clients: RawClient[] = []

  private constructor(target: Target) {
    this.target = target
  }

  /** Clients connect one by one, so that the target numbers them in this order. */
  static async open(options: TargetOptions, clientCount: number): Promise<TargetScene> {
    const scene = new TargetScene(await startTarget(options))
    while (scene.clients.length < clientCount) await scene.connect()
    return scene
  }

  async connect(options: RawClientOptions = {}): Promise<RawClient> {
    const client = await RawClient.ready(this.target.port, `/?stream=${TargetScene.stream}`, options)
    this.clients.push(client)
    return client
  }

  /** Broadcasts the probes from..to, some alone in their loop pass and some together. */
  async broadcast(from: number, to: number): Promise<void> {
    for (let sequence = from; sequence <= to; sequence += 1) {
      this.target.broadcast(TargetScene.stream, probeBody(sequence))
      if (sequence % 7 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Resolves once every open client has this probe. */
  async everybodyHas(sequence: number): Promise<void> {
    await Promise.all(this.clients.map((client) => client.hasProbe(sequence)))
  }

  /** What the target says it wrote to a client of the test run's first stream. */
  truthOf(client: number): StreamTruth | undefined {
    return this.target.truth.client(client)?.streams.find(({ run, probeStream }) => run === TEST_RUN && probeStream === '0000')
  }

  /** Client and sequence of each event of a kind, in order. */
  events(kind: string): [client: number | undefined, sequence: number | undefined][] {
    return this.target.truth.events.filter((event) => event.kind === kind).map(({ client, sequence }) => [client, sequence])
  }

  /** Asserts that every client heard exactly what the truth log says was written to it. */
  assertTruthful(): void {
    this.clients.forEach((client, number) => {
      assert.equal(this.target.truth.client(number)?.remotePort, client.localPort)
      assert.deepEqual(this.truthOf(number)?.written ?? [], sequenceRanges(client.sequences(TEST_RUN)), `client ${number}`)
    })
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.socket.destroy()
    await this.target.close()
  }
}
