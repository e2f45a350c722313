// The public interface of devices for other features.

export { renderDeviceForStaff } from './domain/device.ts'
export { findOpenPairingCodesAcrossTenants, loadDeviceNames } from './store/devices.ts'
export { disconnectDisplay } from './store/displays.ts'
export { endPairings } from './store/tokens.ts'
export { changeDevice } from './usecases/change-device.ts'
export { listDevices } from './usecases/list-devices.ts'
export { registerDevice } from './usecases/register-device.ts'
export { renewPairingCode } from './usecases/renew-pairing-code.ts'
export { revokeDevice } from './usecases/revoke-device.ts'
