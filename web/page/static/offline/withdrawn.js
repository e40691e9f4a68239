// In place of the service worker, where whoever runs this no longer offers to keep
// editions: it removes what was kept, and itself.
addEventListener('install', () => skipWaiting());
addEventListener('activate', event => event.waitUntil(device.forget().then(() => registration.unregister())));
