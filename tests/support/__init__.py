"""What tests stand on: oracles from the definitions, strategies, worked examples."""
