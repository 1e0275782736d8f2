/**
 * The `ws` engine (ENGINE=ws, wss:// and COMPRESSION): one client of the `ws` library per connection; see ws-connection.ts.
 */
import type { Dial, EngineListener, EngineOptions } from '../engine.ts'
import { SlottedEngine } from './slotted-engine.ts'
import { WsConnection } from './ws-connection.ts'

export interface WsEngineOptions extends EngineOptions {
  /** Offers permessage-deflate. */
  readonly compression: boolean
}

export class WsEngine extends SlottedEngine<WsConnection> {
  readonly options: WsEngineOptions

  constructor(listener: EngineListener, options: WsEngineOptions) {
    super(listener)
    this.options = options
  }

  protected override connectionFor(dial: Dial): WsConnection {
    return new WsConnection(this, dial)
  }
}
