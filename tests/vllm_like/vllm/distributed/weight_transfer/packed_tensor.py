def packed_nccl_broadcast_producer(**given: object) -> None:
    raise NotImplementedError
