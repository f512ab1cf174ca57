/** An endpoint, by its ids. */
export interface EndpointRef {
  locationId: string;
  endpointId: string;
}
