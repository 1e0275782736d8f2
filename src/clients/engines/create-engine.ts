/**
 * Which engine a run gets: ENGINE asks, and what the fast one cannot do (TLS, compression) decides.
 */
import type { Settings } from '../../config/settings.ts'
import type { Engine, EngineListener } from '../engine.ts'
import { FastEngine } from './fast-engine.ts'
import { readTlsMaterial } from './tls-material.ts'
import { WsEngine } from './ws-engine.ts'

export type EngineSettings = Pick<
  Settings,
  'engine' | 'compression' | 'wsAddr' | 'maxFrameBytes' | 'tlsCa' | 'tlsCert' | 'tlsKey' | 'tlsInsecure'
>

/** One target with TLS among several takes all of them to the `ws` engine, so that their figures compare. */
export const engineFor = ({ engine, compression, wsAddr }: EngineSettings): 'fast' | 'ws' =>
  engine === 'fast' && !compression && wsAddr.every((target) => target.toLowerCase().startsWith('ws:')) ? 'fast' : 'ws'

/** One engine per thread. Throws `settings-invalid` when a TLS file cannot be read. */
export function createEngine(settings: EngineSettings, listener: EngineListener, nowUs: () => number): Engine {
  const options = { nowUs, maxFrameBytes: settings.maxFrameBytes, tls: readTlsMaterial(settings) }
  if (engineFor(settings) === 'fast') return new FastEngine(listener, options)
  return new WsEngine(listener, { ...options, compression: settings.compression })
}
