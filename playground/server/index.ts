export { openStudio, studioRoutes, type MountedStudio, type StudioRoutesOptions } from './studio-routes.js';
export { studioRoute, type StudioRouteOptions } from './studio-route.js';
export { startStudio, type StudioServer, type StudioServerOptions } from './start-studio.js';
export type { Access } from './http/access.js';
export type { Examples } from './catalog/catalog.js';
export type { StoreOptions } from './store/open-store.js';
export type { StoreBounds } from './store/run-store.js';
